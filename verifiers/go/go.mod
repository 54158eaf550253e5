module github.com/latchkey-auth/latchkey/verifiers/go

go 1.19
