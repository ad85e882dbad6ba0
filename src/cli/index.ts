export { runTool } from './run.ts'
export { serveBeside } from './serving/serve-beside.ts'
