module github.com/writ-dev/writ

go 1.26
