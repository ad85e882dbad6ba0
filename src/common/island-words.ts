/** The words that the server hands to the scripts of the pages. */

/** A text with `{name}` for each value; the forms of a number are chosen by the language. */
export type IslandText = string
export interface IslandPlural {
  one: IslandText
  other: IslandText
}

/** The words of the upload queue. */
export interface UploadWords extends Readonly<Record<UploadText, IslandText>> {
  files: IslandPlural
  copyMany: IslandPlural
  uploaded: IslandPlural
  formats: Readonly<Record<'link' | 'page' | 'markdown' | 'html' | 'bbcode' | 'own', IslandText>>
  sizes: Readonly<Record<'full' | 'medium' | 'thumb', IslandText>>
}

type UploadText =
  | ('done' | 'onTheWay' | 'failed' | 'refused' | 'timeLeft')
  | ('progress' | 'percent' | 'finishing' | 'waits' | 'goesOn' | 'goesOnNot' | 'offline')
  | ('copy' | 'copyOne' | 'copyAs' | 'copyFormat' | 'copySize' | 'copyWhenDone' | 'copied')
  | ('cancel' | 'remove' | 'retry' | 'retryOne' | 'retryFailed' | 'cancelAll' | 'clear')
  | ('choose' | 'chooseOne' | 'chooseAgain' | 'chooseAgainOther')
  | ('tooBig' | 'empty' | 'noLinks' | 'noConnection' | 'loggedOut' | 'albumMade')
  | ('uploads' | 'openPage' | 'sent' | 'takeBack' | 'takeBackOne' | 'fold' | 'unfold')

/** The words of a selection in a list. */
export interface SelectionWords
  extends Readonly<Record<SelectionText, IslandText>>,
    Readonly<Record<SelectionCount, IslandPlural>> {}

type SelectionText =
  | ('rangeYes' | 'removeYes' | 'undo' | 'working' | 'copyProtected')
  | (
      | 'tooManyForShare'
      | 'tooManyForZip'
      | 'noConnection'
      | 'nothingChosen'
      | 'limitReached'
      | 'refused'
      | 'noAlbum'
    )

type SelectionCount =
  | ('selected' | 'all' | 'selectAll' | 'range' | 'removing' | 'trashed' | 'restored' | 'removed')
  | ('changed' | 'left' | 'undone' | 'undoLeft')
