module latchkey-go

go 1.19
