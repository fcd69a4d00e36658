// The bundled list of common passwords: those frequent in leaks, and the parts from which variations are built.

/** Common as a whole, and not in one of the families below. Lower case. */
export const LEAKED: ReadonlySet<string> = words(`
	trustno1 1password 123password mypassword thepassword newpassword oldpassword nopassword yourpassword
	passwordpassword adminadmin guestguest loginlogin welcome2home iloveyouso iloveme1 iloveme2 ilovejesus
	ilovegod ilovemymom ilovemom ilovedad iluvyou2 jesuschrist jesusislord jesusloves godisgood godislove
	godbless inshallah 1234abcd 12345abc abcde123 abcde12345 123abc123 a12345678 a123456a a1234567 aa123456
	aaa12345 a123456789 aa12345678 q123456789 z123456789 s12345678 m12345678 1234567a 12345678a 123456789a
	12345678q 123456789z 123456aa 123456ab 123456asd 12345qwert 12345qwe 123asd456 123asd123 1a2s3d4f
	1qazxsw2 zaq1xsw2 zaq1@wsx !qaz2wsx 1qaz@wsx qaz123wsx qwe123qwe qwer1234 qwer4321 asdfjkl1 asdfqwer
	asdqwe123 asd123asd zxcasdqwe zxcasdqwe123 1234asdf 1111aaaa 11112222 11223344 1122334455 112233445566
	12123434 12131415 12344321 1234554321 123454321 12369874 123698745 123654789 123789456 123321123
	123321456 13579111 1357924680 135792468 13579246 147852369 14789632 159357258 159753456 159753258
	15975346 19283746 192837465 22446688 246813579 2468101214 31415926 314159265 33445566 36985214 456123789
	55556666 66778899 666999666 74108520 753951456 75315900 77778888 78945612 789456123 7894561230 951753852
	987456321 98745632 99887766 01012011 01020304 0102030405 010203040506 102030405060 10203040 1020304050
	100200300 11235813 1123581321 00112233 5201314a woaini520 woaini1314 5201314520 7758521a 1314520a
	aini1314 li123456 caonima123 asd123123 qq123456 qq123123 qq123456789 aptx4869 wo123456 123123aa
	123123asd 123321aa 111222333 111222333444 aaa111aaa aaa123456 pass@word1 letmeinnow changethis topsecret
	whatthehell whatsup1 fuckthis fuckme69 blowme69 bigdick1 suckmydick cocksucker motherfucker eatme123
	biteme69 kissmyass kissme123 blink182 ncc1701d ncc1701e ncc1701a thx1138x rush2112 area5150 bond007bond
	agent007 jamesbond007 kobe2424 kobe24bryant lebron23 linkinpark linkinpark1 greenday1 50cent50 2pac4life
	tupac4life thuglife1 chopper1 iwantu123 ihateyou ihateyou1 imissyou1 inlove123 lovehurts mybaby123
	bestfriend1 bestfriends friends4ever sisters3 number1dad daddysgirl mamapapa1 papamama1 momdad123
	sexygirl1 sexybaby1 sexymama1 hotstuff1 hotgirl1 cutegirl1 cutiepie1 sweetpea1 pussycat1 yamahar1
	chelsea1905 liverpool1892 manunited1 galatasaray1905 fenerbahce1907 besiktas1903 fener1907 gs1905gs
	bjk1903bjk palmeiras1 dragonball dragonballz dbz12345 kakashi1 onepiece1 counterstrike halflife2
	wow12345 runescape1 leagueoflegends letsgo123 gameover1 xbox360live xboxlive1 windowsxp myspace1
	hotmail1 yahoo123 mysql123 postgres1 ciscocisco toor1234 temporary1 mastermind super123 superuser
	poweruser helloworld helloworld1 hellohello hellokitty hellokitty1 goodluck1 goodmorning qwaszx12
	qwaszx123 qawsedrf qawsedrftg qawsed123 aqswdefr aqwzsx123 zaqxsw123 mko09ijn nhy67ujm vfr45tgb cft67ygv
	0okm9ijn 1029384756 10293847 1!2@3#4$ a1s2d3f4 z1x2c3v4 1z2x3c4v 1w2w3w4w
`);

/** Words and names on which most guessed passwords are based. Lower case. */
export const STEMS: ReadonlySet<string> = words(`
	password passwort passwd pass passcode passphrase motdepasse contrasena senha parola parol wachtwoord
	haslo salasana losenord admin administrator root user guest test tester testing temp demo default login
	logon account access system server latchkey oracle cisco manager master boss chief owner operator support service
	office company business welcome hello hallo hola bonjour secret private secure security letmein changeme
	changeit enter open start qwerty qwertz azerty qwert asdf asdfgh zxcvbn zxcvbnm abc abcd abcdef abc123
	qwe qweasd qazwsx asd zxc love lover lovely loveme loveyou mylove iloveyou iloveu ilove sunshine
	princess prince queen king angel angels devil heaven hell god jesus christ bible faith hope grace mercy
	blessed blessing trinity trinidad destiny freedom liberty justice victory power energy spirit soul peace
	dream dreams dreamer dragon monkey tiger lion bear wolf eagle falcon hawk phoenix panther cougar jaguar
	leopard cheetah shark dolphin whale turtle rabbit bunny kitty kitten puppy doggy dog cat horse pony
	chicken turkey spider snake cobra python viper scorpion butterfly bird birdie duck panda koala gorilla
	elephant giraffe zebra penguin pumpkin peanut cookie cupcake candy sugar honey sweet sweety sweetie
	chocolate vanilla cherry strawberry blueberry banana apple orange lemon mango peaches coconut pepper
	ginger cinnamon butter cheese bacon pizza burger pasta coffee whiskey vodka tequila corona budweiser
	heineken football soccer baseball basketball hockey tennis golf golfer rugby cricket boxing wrestling
	swimming running surfer skater skateboard snowboard volleyball softball fishing hunter hunting shooter
	player gamer game games champion winner lucky legend hero superhero superman batman spiderman wolverine
	ironman hulk captain marvel joker ninja samurai warrior knight soldier marine army navy airforce ranger
	sniper killer hitman gangster gangsta pirate viking spartan gladiator wizard magic mystic merlin gandalf
	frodo hobbit starwars skywalker yoda vader darkside jedi startrek matrix terminator predator alien
	avatar rambo rocky godzilla pokemon pikachu charizard naruto sasuke goku mario luigi zelda sonic sega
	nintendo playstation xbox minecraft roblox fortnite warcraft starcraft diablo halo doom quake michael
	michelle michele jennifer jessica jessie jesse joshua jordan justin jason jackson jack james john johnny
	jonathan joseph joey daniel danielle david dave andrew andrea andy anthony antonio tony thomas tommy
	charlie charles charlotte christian christine christina chris christopher robert robbie bobby richard
	ricky william willie billy matthew mark martin martina maria marie mary margaret maggie amanda ashley
	ashleigh nicole nicholas nick natalie natasha nathan nathaniel alexander alexandra alexis alex alexa
	albert alberto alejandro alice alicia alison anna annie anne angela angelina angelo barbara becky
	benjamin benny bernard beth bianca brandon brandy brenda brian brianna brittany brooke bruce bryan
	caitlin cameron camila carlos carmen carol carolina caroline carter casey cassie catherine chelsea
	cheyenne claire claudia cody connor courtney crystal cynthia dakota dallas denise dennis derek diana
	diane diego dominic donald donna dorothy douglas dylan eduardo edward elena elizabeth emily emma eric
	erica ethan eugene evelyn fernando florence francis francisco frank frankie gabriel gabriela garfield
	gary george gerald gloria gordon gregory hannah harold harry heather hector helen henry howard isabel
	isabella jacob jacqueline jasmine jeffrey jeremy jerry joanna jorge juan julia julian juliana julie
	justine karen katherine kathleen katie kayla keith kelly kenneth kevin kimberly kristen kristina kyle
	laura lauren leonard leonardo leslie linda lindsay lindsey lisa logan louis louise lucas lucia lucy luis
	madison manuel marcus margarita mariana marina marisa marissa marlboro mason maurice maxwell megan
	melanie melissa mercedes miguel mike miranda mitchell molly monica monique morgan nancy norman oliver
	olivia oscar pamela patricia patrick paul paula peter philip phillip rachel ralph ramona raymond rebecca
	regina renee ricardo roberta roberto rodrigo roger ronald ronaldo rosemary russell ruth ryan sabrina
	samantha samuel sandra sara sarah scott sean sebastian sergio shannon sharon shirley silvia simon sophia
	sophie stacey stanley stella stephanie stephen steve steven stuart susan sylvia tanya tatiana taylor
	teresa theresa tiffany timothy tracey travis trevor tristan tyler valentina valeria vanessa veronica
	vicky victor victoria vincent virginia vivian walter wendy wesley whitney xavier yvonne zachary muhammad
	mohammed mohamed ahmed ahmad fatima aisha ali hassan hussain ibrahim omar yusuf mustafa mehmet murat
	emre fatih ayse zeynep priya krishna ganesh shiva lakshmi rahul rohit amit anjali deepak sanjay suresh
	ramesh rajesh vishal ivan dmitry sergey andrey alexey natalia svetlana olga tatyana ekaterina vladimir
	nikita artem maxim oleg igor pavel anton denis roman family mother father mama mommy mom daddy dad papa
	brother sister baby babygirl babyboy babydoll girl girls boy boys friend friends forever together
	wedding married honeymoon sexy sexyboy hottie cutie beauty beautiful pretty gorgeous handsome blonde
	redhead darling sweetheart buddy sparky scooter rusty shadow smokey snoopy tigger tweety mickey minnie
	goofy bambi simba nemo shrek scooby snowball snowflake snowman midnight moonlight moon star stars
	starlight sunset sunrise sunny sun rainbow sky skyline storm thunder lightning hurricane tornado fire
	flame ice water river ocean beach summer winter spring autumn january february march april may june july
	august september october november december monday tuesday wednesday thursday friday saturday sunday
	weekend holiday vacation christmas xmas easter halloween valentine birthday happy happiness smile smiley
	laugh funny crazy silly stupid idiot loser whatever nothing something anything everything nobody
	somebody goodbye thankyou please sorry red blue green yellow purple pink black white silver gold golden
	violet indigo crimson diamond ruby sapphire emerald pearl amber jade flower flowers rose roses lily
	daisy orchid tulip sunflower america american usa canada mexico brazil brasil argentina colombia chile
	peru england london scotland ireland wales france paris germany deutschland berlin italy italia roma
	spain espana madrid barcelona portugal lisboa holland amsterdam belgium sweden norway denmark finland
	poland polska warszawa russia moscow ukraine turkiye istanbul greece egypt africa nigeria kenya india
	mumbai delhi pakistan karachi bangladesh indonesia jakarta malaysia singapore philippines manila vietnam
	thailand bangkok china beijing shanghai hongkong taiwan japan tokyo korea seoul australia sydney
	melbourne newyork brooklyn boston chicago texas houston denver seattle florida miami california
	losangeles sandiego sanfrancisco lasvegas vegas detroit atlanta georgia alabama hawaii yankees redsox
	lakers cowboys steelers packers eagles giants raiders broncos patriots dolphins bears cubs dodgers
	cardinals braves tigers rangers redskins saints vikings celtics bulls liverpool arsenal everton
	manchester united manutd mancity tottenham newcastle celtic juventus milan inter napoli realmadrid
	bayern dortmund benfica porto ajax feyenoord galatasaray fenerbahce besiktas flamengo santos corinthians
	mustang camaro corvette porsche ferrari lamborghini bmw audi toyota honda nissan subaru mazda yamaha
	suzuki kawasaki harley davidson ducati chevy ford dodge jeep volvo volkswagen google facebook twitter
	youtube instagram microsoft windows linux ubuntu android iphone macintosh samsung nokia computer
	internet network wireless router laptop desktop monitor keyboard hacker hacking program programmer
	developer software hardware database website email online digital cyber web wifi music guitar piano
	drummer drums violin trumpet rock rockstar rocknroll metal punk hiphop rapper dance dancer dancing
	singer nirvana metallica slipknot beatles eminem tupac madonna elvis britney rihanna beyonce student
	teacher school college university doctor nurse lawyer police fireman pilot driver trucker farmer cowboy
	money dollar dollars cash million millionaire success rich asshole bitch fuck fucker fuckyou fuckoff
	shit bullshit pussy dick sexsex sex porn playboy penis boobs zaq qaz wsx asdfghjkl aaaa xxxx zzzz qqqq
	woaini xiaoming zhang wang chen liu guinness jackdaniels nascar rastaman marijuana ganja weed
`);

/** What users append to a stem, without the punctuation around it. */
export const ENDINGS: ReadonlySet<string> = new Set([
	...words(`
		000 007 100 101 110 111 112 121 123 1234 12345 123456 1234567 12345678 123456789 222 234 321 333 369 420 444 456
		500 555 567 666 678 69 700 777 786 789 888 890 900 911 987 999 1111 1122 1212 1313 1979 2222 2468 3333 4321 4444
		5555 5678 54321 6666 6969 7777 8888 9876 9999 654321 1q2w3e q1w2e3 abc qwe qwerty x xx xxx
	`),
	"",
	...numbers(0, 9, 1),
	...numbers(0, 99, 2),
	...numbers(1940, 2039, 4),
]);

/** Rows, columns, and zigzags of keyboards, and digit sequences; matched in both directions. */
export const WALKS: readonly string[] = [
	"01234567890123456789",
	"abcdefghijklmnopqrstuvwxyz",
	"qwertyuiopasdfghjklzxcvbnm",
	"qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn",
	"qwertyuiop[]",
	"asdfghjkl;'",
	"zxcvbnm,./",
	"1234567890-=",
	"!@#$%^&*()_+",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
	"qazwsxedcrfvtgbyhnujmikolp",
	"zaq12wsxcde34rfvbgt56yhnmju78ik,.lo90p;/",
	"1q2w3e4r5t6y7u8i9o0p",
	"q1w2e3r4t5y6u7i8o9p0",
	"a1b2c3d4e5f6g7h8i9j0",
	"1a2b3c4d5e6f7g8h9i0j",
	"1234qwerasdfzxcv",
	"qwerasdfzxcv1234",
	"123qweasdzxc",
	"qweasdzxc123",
	"147258369",
	"741852963",
	"123456789qwertyuiop",
	"1234567890qwertyuiop",
].flatMap((walk) => [walk, [...walk].reverse().join("")]);

function words(text: string): Set<string> {
	return new Set(text.trim().split(/\s+/));
}

function numbers(from: number, to: number, digits: number): string[] {
	return Array.from({ length: to - from + 1 }, (_, index) => String(from + index).padStart(digits, "0"));
}
