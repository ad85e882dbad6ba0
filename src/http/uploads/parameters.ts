import { broken } from '../../lib/faults.ts'
import { collectText } from './reading/collect-text.ts'
import { droppedField, type FieldWriter } from './reading/field.ts'
import { badForm, badParameter } from './reading/form-errors.ts'
import { urlencodedParser } from './reading/urlencoded.ts'

const MOST_PARAMETERS = 64
const MOST_VALUE_BYTES = 65_536

/** Collects the parameters of the query or of the body. All bytes are counted before they are stored. */
export function collectParameters(countBytes: (bytes: number) => void = () => undefined) {
  const names = new Set<string>()
  let count = 0
  const values = new Map<string, string>()

  function open(name: string): FieldWriter {
    // Parameters without a name count too, or a body could have any number of them.
    count++
    if (count > MOST_PARAMETERS) throw badForm(`There are more than ${MOST_PARAMETERS} parameters.`)
    if (name === '') return droppedField
    if (names.has(name)) throw badParameter(name, broken('givenTwice'))
    names.add(name)
    const value = collectText(MOST_VALUE_BYTES, (rule) => badParameter(name, rule))
    return {
      push(bytes) {
        countBytes(bytes.length)
        value.push(bytes)
      },
      end() {
        const text = value.end()
        // An empty value counts as absent.
        if (text !== '') values.set(name, text)
      },
    }
  }

  return { open, values: values as ReadonlyMap<string, string> }
}

/** The parameters of the query, including the source. */
export function readQueryParameters(url: string): ReadonlyMap<string, string> {
  const { open, values } = collectParameters()
  const parser = urlencodedParser(({ name }) => open(name))
  const query = url.split('#', 1).join().split('?').slice(1).join('?')
  // Node gives unescaped bytes of the URL as latin1.
  parser.push(Buffer.from(query, 'latin1'))
  parser.end()
  return values
}
