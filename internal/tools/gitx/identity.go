package gitx

import (
	"context"
	"fmt"
	"strings"
)

// The identity of commits on a machine where nobody configured one.
const (
	fallbackName  = "writ"
	fallbackEmail = "writ@localhost"
)

type identity struct{ name, email string }

// identity asks git who author or committer is: from the environment, the
// repository's or the user's configuration, but never guessed from the host.
func (r *Repo) identity(ctx context.Context, who string) identity {
	fallback := identity{fallbackName, fallbackEmail}
	if r.git == nil {
		return fallback
	}
	line, err := r.git.line(ctx, call{user: true, args: []string{"-c", "user.useConfigOnly=true", "var", "GIT_" + who + "_IDENT"}})
	if err != nil {
		return fallback
	}
	name, rest, ok := strings.Cut(line, " <")
	email, _, closed := strings.Cut(rest, ">")
	if !ok || !closed || name == "" || email == "" {
		return fallback
	}
	return identity{name, email}
}

// identities is the part of a commit's environment that says who and when.
func (r *Repo) identities(ctx context.Context) []string {
	author, committer := r.identity(ctx, "AUTHOR"), r.identity(ctx, "COMMITTER")
	now := r.now()
	date := fmt.Sprintf("@%d %s", now.Unix(), now.Format("-0700"))
	return []string{
		"GIT_AUTHOR_NAME=" + author.name, "GIT_AUTHOR_EMAIL=" + author.email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + committer.name, "GIT_COMMITTER_EMAIL=" + committer.email, "GIT_COMMITTER_DATE=" + date,
	}
}
