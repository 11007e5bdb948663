package main

//go:generate sh -c "cd ../.. && go run ./internal/docgen"
