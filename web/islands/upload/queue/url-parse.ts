/** In place of the package that tus-js-client takes for browsers without `URL`. */
export default URL
