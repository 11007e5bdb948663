// Command gen writes the table of package price.
//
// The catalogue has two fields for cached prices, and providers fill them in
// three ways: write and read; read and nothing; nothing and read. Which one a
// row means shows in its numbers, because reading a cache costs at most half of
// the input price and writing it at least the whole. What fits none of the
// three gets no discount, so that a cost is never too low.
//
// Where several providers list one id, the model's maker comes first. Rows
// without any price are subscriptions or gifts of a reseller: their window is
// kept, their price is unknown.
package main
