package store

import "database/sql"

// engine is what differs between the two databases besides the table
// definitions: how they say what went wrong and how a consistent read is asked
// for.
type engine interface {
	// name is the folder of the engine's migrations.
	name() string
	// snapshot are the options of a read transaction that sees one moment.
	snapshot() *sql.TxOptions
	// classify reads an error of the driver; kindOther for any other error.
	classify(err error) faultKind
}

// faultKind is what an error of the database means to the store.
type faultKind int

const (
	kindOther    faultKind = iota
	kindBusy               // another writer was first: try again
	kindNoTable            // a fresh database
	kindFull               // no room
	kindReadOnly           // may not be written
	kindDamaged            // not a database, or a broken one
	kindIO                 // the disk or the network failed
)
