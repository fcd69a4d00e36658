// The look every document starts from: tokens and the style of plain elements. Imported first by each entry.

import "./tokens.css";
import "./base.css";
