/** Texts of sign-in by mail: its fields, pages and mails. */
export const texts = () => ({
  ways: {
    address: 'Email address',
    sendLink: 'Send me a sign-in link',
    addAddress: 'Add this address',
    /** Opens the field of an address, on the page of an account. */
    addAddressOpen: 'Add an email address',
  },
  /** The page after a request for a mail. */
  code: {
    title: 'Check your email',
    /** `{address}` is on a line of its own. */
    sent: 'A sign-in email is on its way to {address}',
    sentToAdd: 'An email is on its way to {address}',
    how: 'Open its link in this browser, or enter its code here.',
    worksMinutes: {
      one: 'Both work for {count} more minute.',
      other: 'Both work for {count} more minutes.',
    },
    worksHours: {
      one: 'Both work for {count} more hour.',
      other: 'Both work for {count} more hours.',
    },
    over: 'This email has expired. Ask for a new one.',
    /** `{name}` is where mails are read, such as Gmail. */
    openMail: 'Open {name}',
    label: 'Six-digit code',
    submit: 'Sign in',
    submitToAdd: 'Add this address',
    again: 'Send a new email',
    noMail: 'No email? Check your spam folder.',
    waitSeconds: {
      one: 'You can ask for a new one after {count} second.',
      other: 'You can ask for a new one after {count} seconds.',
    },
    useAnother: 'Use another address',
    notHere:
      'If you asked for a sign-in email, open the link in it. The code works only in the browser where you asked for it.',
    /** `{mark}` is four letters, in bold. */
    which: 'The right email has {mark} in its subject.',
  },
  /** A link that another browser asked for. */
  confirm: {
    tab: 'Confirm sign-in',
    title: 'Sign in on this device?',
    /** `{address}` is on a line of its own. */
    who: 'This link signs you in as {address}',
    from: 'The request came from {device}. If that was not you, or this is not your address, cancel the link here. Nothing has happened yet.',
    submit: 'Sign in',
    /** Ends the link. */
    refuse: 'That was not me',
    refusedTitle: 'The link is canceled',
    refused:
      'Neither the link nor its code works any more. If you get more of these emails, ignore them. Nobody can sign in without them.',
  },
  errors: {
    code: 'This code does not work. Please ask for a new email.',
    address: 'This is not a valid email address. Please check it.',
    notSent: 'The email could not be sent. Please try again in a moment.',
    wrongCode: 'That code is wrong or has expired. Check it, or ask for a new email.',
    spentCode: 'Too many wrong codes. Use the link in the email, or ask for a new email.',
  },
  /** The mail with a link and a code. Without them: nothing that a mail program takes for a link. */
  mail: {
    /** `{host}` is the name of the site, or else its host. */
    title: 'Sign in to {host}',
    previewMinutes: {
      one: 'Requested from: {device}. Sign in with the link or the code within {count} minute. If you did not request this email, ignore it.',
      other:
        'Requested from: {device}. Sign in with the link or the code within {count} minutes. If you did not request this email, ignore it.',
    },
    previewHours: {
      one: 'Requested from: {device}. Sign in with the link or the code within {count} hour. If you did not request this email, ignore it.',
      other:
        'Requested from: {device}. Sign in with the link or the code within {count} hours. If you did not request this email, ignore it.',
    },
    byLink: 'Sign in on the device where you read this email:',
    button: 'Sign in',
    byCode: 'Or enter this code on the page where you asked for it:',
    limitsMinutes: {
      one: 'Use the link or the code within {count} minute. They work only once.',
      other: 'Use the link or the code within {count} minutes. They work only once.',
    },
    limitsHours: {
      one: 'Use the link or the code within {count} hour. They work only once.',
      other: 'Use the link or the code within {count} hours. They work only once.',
    },
    device: 'Requested from: {device}',
    warning:
      'If you did not request this email, ignore it. Nobody can sign in without it. Never share the link or the code with anyone.',
  },
  /** The same mail, if it adds the address to an account. */
  mailToAdd: {
    /** `{host}` is the name of the site, or else its host. */
    title: 'Add this address to an account at {host}',
    preview:
      'Requested from: {device}. The owner of that account wants to sign in with this address too. If that is not you, ignore this mail.',
    byLink: 'If the account is yours, add this address in the browser where you asked:',
    button: 'Add this address',
    warning:
      'If you did not request this email, ignore it. Nothing is added without it. Never share the link or the code with anyone. They could sign in with your address.',
  },
})
