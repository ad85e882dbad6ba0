export { runTool } from './run.ts'
