// Package price knows what models cost and how much they can read.
//
// The table is generated from the catalogue charm.land/catwalk, whose fields
// for cached prices carry three meanings; the generator in gen makes one of
// them. It is embedded as sorted text and searched where it lies, so it costs
// no memory and no time until a model is looked up, and little then.
//
// A model that the catalogue does not know, or lists without a price, has none:
// its cost is nil, never zero. Prices are list prices in USD; what a contract
// or a subscription says is not known here.
package price

//go:generate go run ./gen
