/** The same keys with any texts: what another language has to say. */
export type WordsOf<T> = T extends (...values: infer Values) => string
  ? (...values: Values) => string
  : T extends string
    ? string
    : { readonly [Key in keyof T]: WordsOf<T[Key]> }
