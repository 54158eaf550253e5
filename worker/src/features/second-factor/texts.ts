/** Texts of the second factor. */
export const texts = () => ({
  /** The second factor on the page of an account. */
  factor: {
    title: 'Second factor',
    off: 'Protect your account with an authenticator app. You enter a code from it each time you sign in, except with a passkey.',
    setUp: 'Set up an authenticator app',
    on: 'Your authenticator app is on.',
    codesLeft: {
      one: '{count} recovery code is left.',
      other: '{count} recovery codes are left.',
    },
    fewCodesLeft: {
      one: '{count} recovery code is left. Make new ones.',
      other: '{count} recovery codes are left. Make new ones.',
    },
    newCodes: 'New recovery codes',
    switchOff: 'Turn off the authenticator app',
    switchOffWarning: 'You will sign in without a code, and your recovery codes will stop working.',
  },
  /** The page that asks for a second factor. */
  factorCode: {
    tab: 'Second factor',
    title: 'Enter the code from your authenticator app',
    /** `{name}` is on a line of its own. */
    who: 'You are signing in as {name}',
    code: 'Code',
    submit: 'Sign in',
    optional:
      'This app was set up recently and is not fully active yet, so you can continue without a code. If you did not set it up, turn it off on your account page.',
    without: 'Continue without a code',
    startAgain: 'Start again',
    /** To the same page with a field for one, and the title of that page. */
    useRecovery: 'Use a recovery code',
    recoveryCode: 'Recovery code',
    /** Back from there. */
    useApp: 'Use the authenticator app',
  },
  factorSetup: {
    title: 'Set up a second factor',
    demanded: 'You need one to sign in here.',
    /** `{name}` is on a line of its own. */
    who: 'Your account: {name}',
    how: 'Scan this with an authenticator app, or enter the key in it.',
    /** Read out by screen readers. */
    picture: 'QR code of the key',
    code: 'Six-digit code from the app',
    submit: 'Turn it on',
    notNow: 'Not now',
  },
  recoveryCodes: {
    tab: 'Recovery codes',
    title: 'Your recovery codes',
    what: 'Each one replaces a code from your app once. If you lose the app and these codes, you cannot sign in.',
    keep: 'They are shown only once. Print this page or write them down, and do not keep them on your phone.',
    goOn: 'I have saved them',
    download: 'Download',
  },
  /** Mails that announce a change. */
  notices: {
    factorSetUpTitle: 'Your account now asks for a second factor',
    factorSetUp: 'When you sign in, you now also enter a code from your authenticator app.',
    factorRemovedTitle: 'Your account no longer asks for a second factor',
    factorRemoved: 'When you sign in, you no longer enter a code from your authenticator app.',
    newCodesTitle: 'You have new recovery codes',
    newCodes: 'Your old recovery codes no longer work.',
    codeUsedTitle: 'A recovery code was used',
    codeUsed:
      'A sign-in to your account used a recovery code instead of a code from your authenticator app. That recovery code no longer works.',
  },
  errors: {
    wrongFactor: 'That code is wrong or was already used. Wait for the next one, then try again.',
    lateFactor: 'That took too long. Please try again.',
  },
})
