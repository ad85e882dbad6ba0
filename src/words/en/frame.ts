/** The frame of every page and its front page. */
export const frame = {
  skip: 'Skip to the content',
  navigation: 'Main',
  language: 'Language',
  theme: 'Theme',
  themeAuto: 'Automatic',
  themeLight: 'Light',
  themeDark: 'Dark',
  close: 'Close',
  undo: 'Undo',
  newer: 'Newer',
  older: 'Older',
  ofLimit: (used: string, limit: string) => `${used} of ${limit}`,

  keys: 'Keys',
  keysSwitch: 'Use single letters as keys',
  keyCopy: 'Copy in the format used last',
  keyDownload: 'Download',
  keyFullScreen: 'Full screen',
  keyDetails: 'Details',
  keyList: 'This list',

  toFrontPage: 'To the front page',
  tryAgain: 'Try again',
  incident: 'Incident',
}
