export {
  longestPageTitle,
  mostBodyBytes,
  mostSortOrder,
  pageBodyFault,
  pageTitleFault,
  urlKeyFault,
  urlKeyForm,
} from './page-rules.ts'
export {
  createPage,
  editPage,
  findVisiblePage,
  listFooterPages,
  listPages,
  movePage,
  type PageFields,
  readPage,
  removePage,
} from './pages.ts'
export type { Page, PageOfList, PagePosition } from './pages-table.ts'
export { checkText, renderedText } from './rendered-text.ts'
