/** Texts of the second factor. */
export const texts = () => ({
  parts: {
    copy: 'Copy',
    copied: 'Copied',
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
  errors: {
    wrongFactor:
      'That code is not right, or was used before. Wait for the next one, then try again.',
    lateFactor: 'That took too long. Please try once more.',
  },
})
