import { collectText } from './collect-text.ts'
import { droppedField, type FieldWriter } from './field.ts'
import { badForm, badParameter } from './form-errors.ts'
import { urlencodedParser } from './urlencoded.ts'

const MOST_PARAMETERS = 64
const MOST_VALUE_BYTES = 65_536

/** Collects the parameters of one place: of the query, or of the body. */
export function collectParameters() {
  const names = new Set<string>()
  let count = 0
  const values = new Map<string, string>()

  function open(name: string): FieldWriter {
    // Those without a name count too, or a body of nothing else would keep us busy.
    count++
    if (count > MOST_PARAMETERS) throw badForm(`There are more than ${MOST_PARAMETERS} parameters.`)
    if (name === '') return droppedField
    if (names.has(name)) throw badParameter(name, 'is given twice')
    names.add(name)
    const value = collectText(MOST_VALUE_BYTES, (fault) => badParameter(name, fault))
    return {
      push: value.push,
      end() {
        const text = value.end()
        // An empty value counts as absent.
        if (text !== '') values.set(name, text)
      },
    }
  }

  return { open, values: values as ReadonlyMap<string, string> }
}

/** What a request says before its body is read, the source among it. */
export function readQueryParameters(url: string): ReadonlyMap<string, string> {
  const { open, values } = collectParameters()
  const parser = urlencodedParser(({ name }) => open(name))
  const query = url.split('#', 1).join().split('?').slice(1).join('?')
  // Whatever was not escaped came in as one character for each byte.
  parser.push(Buffer.from(query, 'latin1'))
  parser.end()
  return values
}
