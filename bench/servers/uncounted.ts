/** The whole service, whose counter of views and traffic does nothing: what the counting costs is the difference. */
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/doors.ts'
import { makeDemo } from '../../src/tenants/index.ts'
import { answerParent } from './child.ts'

const environment = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const app = await openApp(readConfig(environment, '/'))
app.control.pendingStats.add = () => undefined
const { port } = await startServer(app)
const demo = await makeDemo(app.control)
answerParent({ port, credentials: { uploadKey: demo?.uploadKey ?? '' } })
