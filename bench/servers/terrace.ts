/** The whole service on a data folder. */
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createKey } from '../../src/control/index.ts'
import { startServer } from '../../src/doors.ts'
import { makeDemo } from '../../src/tenants/index.ts'
import { answerParent } from './child.ts'

const environment = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const app = await openApp(readConfig(environment, '/'))
const { port } = await startServer(app)
const { key } = await createKey(app.control, {})
const demo = await makeDemo(app.control)
answerParent({ port, credentials: { key, secret: app.requestSecret, uploadKey: demo?.uploadKey ?? '' } })
