/** Texts of sign-in by mail: its fields, pages and mails. */
export const texts = () => ({
  ways: {
    address: 'E-mail address',
    sendLink: 'Send me a sign-in link',
    addAddress: 'Add this address',
  },
  /** The page after a request for a mail. */
  code: {
    title: 'Check your e-mail',
    /** `{address}` is on a line of its own. */
    sent: 'A sign-in mail is on its way to {address}',
    sentToAdd: 'A mail is on its way to {address}',
    how: 'Open the link in it with this browser, or type the code from it.',
    worksMinutes: {
      one: 'Both work for {count} more minute.',
      other: 'Both work for {count} more minutes.',
    },
    worksHours: {
      one: 'Both work for {count} more hour.',
      other: 'Both work for {count} more hours.',
    },
    over: 'The mail works no longer. Ask for a new one.',
    /** `{name}` is where mails are read, such as Gmail. */
    openMail: 'Open {name}',
    label: 'Six-digit code',
    submit: 'Sign in',
    submitToAdd: 'Add this address',
    again: 'Send a new mail',
    noMail: 'No mail? Look among spam too.',
    waitSeconds: {
      one: 'You can ask for a new one after {count} second.',
      other: 'You can ask for a new one after {count} seconds.',
    },
    useAnother: 'Use another address',
    notHere:
      'If a sign-in mail is on its way to you, open the link in it. Its code works in the browser that asked for it.',
    /** `{mark}` is four letters, in bold. */
    which: 'The right mail has {mark} in its subject.',
  },
  /** Where a link was opened that another browser asked for. */
  confirm: {
    tab: 'Confirm sign-in',
    title: 'Sign in on this device?',
    /** `{address}` is on a line of its own. */
    who: 'This link signs you in as {address}',
    from: 'It was asked for from {device}. If that was not you, or this is not your address, end the link here: nothing has happened.',
    submit: 'Sign in',
    /** Ends the link. */
    refuse: 'That was not me',
    refusedTitle: 'The link works no longer',
    refused:
      'Nobody can sign in with that link any more, nor with the code that came with it. If more such mails come, ignore them: without them nobody gets in.',
  },
  errors: {
    code: 'This code does not work. Please ask for a new mail.',
    address: 'That is not an e-mail address that a mail can be sent to. Please check it.',
    notSent: 'The mail could not be sent. Please try again in a moment.',
    wrongCode: 'That code is not right, or works no longer. Check it, or ask for a new mail.',
    spentCode: 'Too many wrong codes. The link in the mail still works, or ask for a new mail.',
  },
  /** The mail with a link and a code. Without them: nothing that a mail program takes for a link. */
  mail: {
    /** `{host}` is the name of the site, or else its host. */
    title: 'Sign in to {host}',
    previewMinutes: {
      one: 'Asked from: {device}. The link and the code in this mail let you in, for {count} minute. If you did not ask, ignore it.',
      other:
        'Asked from: {device}. The link and the code in this mail let you in, for {count} minutes. If you did not ask, ignore it.',
    },
    previewHours: {
      one: 'Asked from: {device}. The link and the code in this mail let you in, for {count} hour. If you did not ask, ignore it.',
      other:
        'Asked from: {device}. The link and the code in this mail let you in, for {count} hours. If you did not ask, ignore it.',
    },
    byLink: 'Sign in on the device where you read this mail:',
    button: 'Sign in',
    byCode: 'Or type this code on the page where you asked for it:',
    limitsMinutes: {
      one: 'Use one of the two within {count} minute. Neither works a second time.',
      other: 'Use one of the two within {count} minutes. Neither works a second time.',
    },
    limitsHours: {
      one: 'Use one of the two within {count} hour. Neither works a second time.',
      other: 'Use one of the two within {count} hours. Neither works a second time.',
    },
    device: 'Asked from: {device}',
    warning:
      'If you did not ask for this mail, ignore it: nobody gets in without it. Never give the link or the code to anybody, whoever asks for it.',
  },
  /** The same mail, where it adds the address to an account. */
  mailToAdd: {
    /** `{host}` is the name of the site, or else its host. */
    title: 'Add this address to an account at {host}',
    preview:
      'Asked from: {device}. Who has that account asks to sign in with this address too. If that is not you, ignore this mail.',
    byLink: 'If the account is yours, add this address in the browser where you asked:',
    button: 'Add this address',
    warning:
      'If you did not ask for this mail, ignore it: nothing is added without it. Never give the link or the code to anybody, whoever asks for it: they would sign in with your address.',
  },
})
