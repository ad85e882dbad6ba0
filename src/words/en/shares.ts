/** Pages that ask for a password, of shares, and of delete links. */
export const shares = {
  passwordNeeded: 'Password needed',
  passwordRefused: 'Not opened: Password needed',
  passwordText:
    'This file is in an album with a password. Ask the person who sent you the link for the password.',
  passwordLabel: 'Password of the album',
  passwordShow: 'Show the file',
  passwordWrong: 'That is not the password of this album.',
  passwordTooMany: 'Too many wrong passwords came from your address. Try again in 10 minutes.',
  passwordTooManyHere: 'Too many wrong passwords were entered for this link. Try again in an hour.',

  sharePasswordText: 'Ask the person who sent you the link for the password.',
  sharePasswordLabel: 'Password of the link',
  sharePasswordWrong: 'That is not the password of this link.',
  shareOpen: 'Open',
  shareMore: 'More files',
  shareNoPicture: 'There is no picture of this file.',
  shareFile: 'A picture or video',
  shareSend: 'Send',
  shareSent: 'Your file has been sent. Thank you.',

  deleteTitle: 'Delete this file?',
  deleteText: 'It will be gone for everybody immediately, with all links to it, and cannot be restored.',
  deleteYes: 'Delete for good',
  deleteNo: 'Keep it',
}
