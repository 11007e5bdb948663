// Package sandbox runs the commands that trusted configuration declares, on a
// materialised copy of the staged tree, and tells what they showed.
//
// # Model
//
// A [Job] names a folder and a [Command]. [Sandbox.Run] starts a warden: this
// same binary, re-executed. The warden adopts every process that the command
// leaves behind, watches how many there are and how much memory they hold, and
// ends all of them at the time limit, at a limit of the [Limits], when the
// caller's context ends, when the calling process dies, and when the command
// itself ends. Between the warden and the command stands one more start of the
// binary that takes rights away from itself and then becomes the command.
//
// How strong the walls are is a level, chosen once by a canary that tries the
// forbidden acts inside and watches for them outside:
//
//	0  own session, resource limits, environment allow-list, time limit
//	1  Landlock and seccomp besides: files are read from system and tool folders
//	   only and written in the copy and in private folders only; without declared
//	   network no socket can be made
//	2+ backends with namespaces, which fill [Backend]
//
// # Guarantees
//
// The command sees no variable of the caller that is not on the allow-list or
// declared by name. Started by root it runs as an unprivileged user wherever
// the machine allows that. No process of it outlives Run. Its output is bounded,
// head and tail are kept. What it left in the copy is told as a [tree.Diff], to
// be judged by the caller. What the sandbox itself could not do is
// [Result.Unchecked] with a reason, never a failure of the command.
//
// # Refusals
//
// No shell is ever put around a command. At level 1 three things cannot be kept
// apart, and [Sandbox.Level] says so: network "loopback" reaches this machine's
// own servers too, a command may not use /tmp or /dev/shm but only TMPDIR, and
// on kernels before 6.12 it may send signals to processes of its own user.
package sandbox
