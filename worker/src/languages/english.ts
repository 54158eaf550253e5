/**
 * Every text that a person reads: on pages, in mails, for errors. A name in braces is a parameter; `{ one, other }` are
 * the forms of a number, by the categories of `Intl.PluralRules`. No text is half a sentence, since languages put
 * their words in other places; a parameter may be an address, a name or a time, in bold or with a line break before it.
 *
 * Apps name these keys in `theme.copy`. Sections are pages, or what appears on several.
 */
const table = () => ({
  /** Around every page. `{name}` is that of the site: so `theme.name` says. */
  site: {
    /** What the browser's tab says. `{title}` is that of the page. */
    tab: '{title} · {name}',
    terms: 'Terms',
    privacy: 'Privacy',
    help: 'Help',
  },
  /** The page with every way to sign in. */
  signIn: {
    title: 'Sign in',
    /** `{name}` is that of the site. */
    titleAt: 'Sign in to {name}',
    titleAgain: 'Sign in again',
    stale: 'You signed in a while ago. To go on, sign in once more.',
    waits:
      'What you have added lately does not count as a second factor yet. Use what you had before; the page of your account says from when it counts.',
    weak: 'This needs a stronger sign-in: a passkey, or a second step. To go on, sign in once more.',
    account: 'Your account',
    /** To the page that somebody wanted, as who is signed in already. */
    continueAs: 'Continue as {name}',
    /** The same, where nothing is known to call them by. */
    goOn: 'Continue',
    useAnother: 'Use another account',
    /** On the way to sign in that this browser has used last. */
    lastUsed: 'Last used',
    or: 'or',
    newHere: 'new here?',
    passkeysOnly:
      'Here you sign in with a passkey. That takes JavaScript, and a browser that knows passkeys.',
    nothingConfigured: 'No way to sign in is configured yet.',
    /** `{id}` and `{secret}` are names of variables. */
    configure:
      'If you run this service: the log names what a configured provider lacks. Where there is none, set the id and secret of one, such as {id} and {secret}.',
    /** Below the title, where every way but one with a password makes accounts. Left out where it is empty. */
    signUp: 'New here? Signing in creates your account.',
    /** The same, where there is a form with a password. */
    signUpButPassword: 'New here? Signing in creates your account, in every way but by password.',
  },
  /** Buttons and fields of the ways to sign in. */
  ways: {
    /** `{name}` is a provider's. */
    continueWith: 'Continue with {name}',
    add: 'Add {name}',
    submit: 'Sign in',
    /** Where two forms with passwords are on one page, and on buttons of providers whose rules want these words. */
    submitWith: 'Sign in with {name}',
    address: 'E-mail address',
    sendLink: 'Send me a sign-in link',
    addAddress: 'Add this address',
    needsScript: 'This form needs JavaScript: it tells people from programs.',
  },
  passkeys: {
    signIn: 'Sign in with a passkey',
    add: 'Add a passkey',
    name: 'Your name (optional)',
    signUp: 'Create an account with a passkey',
    noneCreated: 'No passkey was created. You can try again whenever you like.',
    noneUsed: 'No passkey was used. You can try again whenever you like.',
    isThere: 'There is a passkey for your account on this device already.',
    failed: 'That did not work. Try again in a moment, or reload this page.',
  },
  /** Who is signed in, on several pages. */
  who: {
    label: 'Current account',
    /** Before a name on a line of its own. */
    signedInAs: 'You are signed in as',
    signedIn: 'You are signed in',
  },
  signOut: {
    title: 'Sign out',
    question: 'Do you want to sign out?',
    submit: 'Sign out',
    cancel: 'Cancel',
  },
  /** At the end of several pages. */
  parts: {
    /** `{name}` is the site's, or else its host, such as example.com. */
    back: 'Back to {name}',
    copy: 'Copy',
    copied: 'Copied',
  },
  account: {
    title: 'Your account',
    /** Read out by screen readers, before the links to its pages. */
    sections: 'Pages of your account',
    overview: 'Overview',
    devices: 'Devices',
    passkeys: 'Passkeys',
    security: 'Security',
    sessions: 'Where you are signed in',
    thisDevice: 'This device',
    /** Without script a date stands for `{time}`; with it “3 hours ago”, as `Intl.RelativeTimeFormat` has it. */
    begun: 'Signed in {time}',
    added: 'Added {time}',
    lastUsed: 'Last used {time}',
    utc: 'Times are in UTC.',
    signOut: 'Sign out',
    /** Read out by screen readers. `{session}` is a device, a place and a time. */
    signOutOf: 'Sign out: {session}',
    signOutOthers: 'Sign out everywhere else',
    signOutAllWarning:
      'All your sessions end, also the one on this device. Afterwards you sign in again wherever you want to.',
    signOutAll: 'Sign out everywhere',
    ways: 'Ways to sign in',
    usedNow: 'Used now',
    remove: 'Remove',
    /** Read out by screen readers. */
    confirm: 'Confirm',
    confirmWay: 'Confirm: {way}',
    waits: 'Added by a sign-in of one step: it counts fully once you confirm it.',
    waitsUntil:
      'Added by a sign-in of one step: it counts fully from {time}, or once you confirm it.',
    removeWay: 'Remove: {way}',
    onlyWay: 'This is your only way to sign in. To remove it, add another one first.',
    onlyPasskey: 'A passkey is your only way to sign in.',
    onlyPasskeyAdvice:
      'Add another one: when the passkey is lost, nobody can let you in. Recovery codes do not take its place.',
    noPasskeys:
      'You have no passkey yet. It signs you in by your fingerprint, your face or a PIN, and there is no password that could be stolen.',
    synced: 'Synced',
    onOneDevice: 'On one device',
    /** Opens a field. */
    renameOpen: 'Rename…',
    rename: 'Rename',
    passkeyName: 'Name of this passkey',
    delete: 'Delete your account',
    deleteOpen: 'Delete my account…',
    deleteSubmit: 'Delete my account',
    deleteWarning:
      'Your sessions, your ways to sign in and the connections to providers are deleted for good.',
    /** Before a way to sign in is removed. */
    removeWarning: 'Nobody can sign in to your account with it any more. Sessions go on.',
    /** Opens the buttons of providers of which the person has an account. */
    addSame: 'Another account of a provider you have…',
  },
  /** The second factor on the page of an account. */
  factor: {
    title: 'Second factor',
    off: 'An authenticator app, asked for after every sign-in but one with a passkey.',
    setUp: 'Set up an authenticator app',
    on: 'Your authenticator app is on.',
    codesLeft: {
      one: '{count} recovery code is left.',
      other: '{count} recovery codes are left.',
    },
    fewCodesLeft: {
      one: '{count} recovery code is left: make new ones.',
      other: '{count} recovery codes are left: make new ones.',
    },
    newCodes: 'New recovery codes',
    switchOff: 'Switch off the authenticator app',
    switchOffWarning: 'From then on a sign-in asks for no code, and your recovery codes end.',
  },
  /** The page that asks for a second factor. */
  factorCode: {
    tab: 'Second factor',
    title: 'One more step',
    /** `{name}` is on a line of its own. */
    who: 'You sign in as {name}',
    how: 'Type the code that your authenticator app shows now, or one of your recovery codes.',
    code: 'Code',
    submit: 'Sign in',
    optional:
      'This app was set up lately and does not count fully yet, so you can go on without a code. If it is not yours, switch it off on the page of your account.',
    without: 'Go on without a code',
    startAgain: 'Start again',
    /** To the same page with a field for one. */
    useRecovery: 'Use a recovery code',
    recoveryCode: 'Recovery code',
    /** Back from there. */
    useApp: 'Use the authenticator app',
  },
  factorSetup: {
    title: 'Set up a second factor',
    demanded: 'To sign in here you need one.',
    /** `{name}` is on a line of its own. */
    who: 'It is for {name}',
    how: 'Scan this with an authenticator app, or type the key into it.',
    /** Read out by screen readers. */
    picture: 'QR code of the key',
    code: 'Six-digit code of the app',
    submit: 'Switch it on',
    notNow: 'Not now',
  },
  recoveryCodes: {
    tab: 'Recovery codes',
    title: 'Your recovery codes',
    what: 'Each of them takes the place of a code of your app, once. Without the app and without them you cannot sign in.',
    keep: 'They are shown this one time. Print this page or write them down, and keep them where your phone is not.',
    goOn: 'I have kept them: go on',
    download: 'Download',
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
  /** What went wrong, on the page where a person can try again. */
  errors: {
    /** The same for an unknown user and a wrong password (OWASP ASVS 6.3.8: no user enumeration). */
    credentials: 'Sign-in failed. Check the details you provided.',
    notLinked:
      'This account or address belongs to somebody here already, perhaps to yourself in another way, or was removed as a way to sign in. Nothing has changed. Sign in as you did before.',
    callback: 'The provider could not sign you in. Please try again.',
    cancelled: 'You cancelled the sign-in. You can try again whenever you like.',
    denied: 'You do not have permission to sign in.',
    link: 'This link has expired or was already used. Please ask for a new one.',
    form: 'This form was open too long or came from elsewhere. Please try again.',
    check: 'This sign-in was started elsewhere or too long ago. Please start again.',
    other: 'Sign-in did not work. Please try again.',
    code: 'This code does not work. Please ask for a new mail.',
    wrongFactor:
      'That code is not right, or was used before. Wait for the next one, then try again.',
    lateFactor: 'That took too long. Please try once more.',
    tooMany: 'Too many attempts. Please wait a while, then try again.',
    unknownPasskey:
      'This passkey is not known here any more. Use another one, or sign in in another way.',
    address: 'That is not an e-mail address that a mail can be sent to. Please check it.',
    human:
      'The form has a check, which needs JavaScript. Wait until it is done, then send the form again.',
    notSent: 'The mail could not be sent. Please try again in a moment.',
    wrongCode: 'That code is not right, or works no longer. Check it, or ask for a new mail.',
    spentCode: 'Too many wrong codes. The link in the mail still works, or ask for a new mail.',
  },
  /** Pages that say nothing but what went wrong. */
  errorPages: {
    configurationTitle: 'Sign-in is not set up correctly',
    configuration:
      'There is a problem with the configuration of this service. If you run it, its log says what is wrong.',
    deniedTitle: 'Access denied',
    denied: 'You do not have permission to sign in with this account.',
    linkTitle: 'This link no longer works',
    link: 'It has expired or was already used. Please ask for a new one.',
    unavailableTab: 'Try again',
    unavailableTitle: 'Sign-in is unavailable',
    unavailable: 'Something that sign-in needs is not answering. Please try again in a moment.',
    lastWayTitle: 'This is your last way to sign in',
    lastWay: 'Without it nobody could sign in to your account. Add another one first.',
    manyWaysTitle: 'You have many ways to sign in',
    manyWays: 'Remove one that you no longer use, then add another.',
    otherTitle: 'Something went wrong',
    other: 'Signing in did not work this time. Please start again.',
    toAccount: 'Go to your account',
    toSignIn: 'Go to sign-in',
    /** `{reference}` is short, such as KQWT-MXDB. */
    reference: 'If you ask for help, quote {reference}',
    missingTitle: 'There is no such page',
    missing: 'Perhaps the address is mistyped, or the page has moved.',
    formTitle: 'This address is for forms',
    form: 'It cannot be opened by itself. Start where the form is.',
  },
  /** What providers are called whose names nobody gave. */
  names: {
    email: 'E-mail',
    passkey: 'Passkey',
    credentials: 'Password',
  },
  devices: {
    phone: 'Phone',
    tablet: 'Tablet',
    laptop: 'Computer',
    /** Such as “Firefox on Windows”. */
    browserOn: '{browser} on {system}',
    unknown: 'Unknown device',
    /** Two things of a list, such as a device and its place. */
    and: '{one}, {other}',
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
  /** Mails that tell of a change. */
  notices: {
    where: 'Changed at {host}, from: {device}',
    warning:
      'If that was not you, somebody else is signed in as you: sign in, open the page of your account, remove what you do not know, and choose “Sign out everywhere”.',
    /** Of what a session of one factor has added. */
    waits: 'In seven days it counts fully. If it is not yours, remove it before then.',
    addedTitle: '{name} was added to your account',
    added: 'From now on it is a way to sign in to your account.',
    removedTitle: '{name} was removed from your account',
    removed: 'It is no way to sign in to your account any more.',
    factorSetUpTitle: 'Your account asks for a second factor',
    factorSetUp: 'From now on a sign-in takes a code of your authenticator app as well.',
    factorRemovedTitle: 'Your account asks for no second factor any more',
    factorRemoved: 'A sign-in takes no code of your authenticator app from now on.',
    newCodesTitle: 'You have new recovery codes',
    newCodes: 'The recovery codes that you had before work no more.',
    codeUsedTitle: 'A recovery code was used',
    codeUsed:
      'A sign-in to your account took a recovery code in the place of a code of your authenticator app. It works no more.',
    mergedTitle: 'Two of your accounts are one now',
    merged: 'Every way to sign in to either leads to the same account from now on.',
    erasedTitle: 'Your account is deleted',
    erased:
      'Your sessions, your ways to sign in and the connections to providers are gone for good.',
    erasedWarning:
      'If that was not you, somebody else was signed in as you: write to whoever runs this site.',
  },
})

/** The English texts, made when they are first asked for: most isolates start without showing a page. */
export function english(): ReturnType<typeof table> {
  made ??= table()
  return made
}

let made: ReturnType<typeof table> | undefined
