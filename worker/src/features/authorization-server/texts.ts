/** Texts of what a person meets of the authorization server. Short: they come beside the code, in every language. */
export const texts = () => ({
  /** The page on which a person lets an app in. */
  consent: {
    /** `{name}` is that of an app. */
    title: 'Allow {name} to use your account?',
    /** Before a list of what it may do. */
    may: 'It can then:',
    openid: 'Recognize you',
    profile: 'See your name and picture',
    email: 'See your email address',
    offline: 'Keep access for up to a year, or until you end it',
    /** If it may not keep access: how long all of this lasts. */
    session: 'This access ends when you sign out.',
    /** `{host}` is an address, such as app.example.com. */
    leadsTo: 'You then go to {host}.',
    /** The app runs on this device, and is reached there at `{host}`. */
    leadsHere: 'Only allow this if you started the app on this device: {host}',
    /** Nobody has registered the app. `{host}` is an address. */
    unknown: 'This app is from {host}. We have not checked it.',
    /** A device asks, such as a television. `{code}` is on a line of its own, such as KQWT-MXDB. */
    device:
      'Someone else may have sent you this link. Only allow this if your own device shows this code: {code}',
    allow: 'Allow',
    deny: 'Do not allow',
  },
  /** The page that takes the code of a device, such as a television or a command line. */
  device: {
    title: 'Connect a device',
    how: 'Enter the code that your device shows.',
    /** The label of a field. */
    code: 'Code',
    goOn: 'Continue',
    wrong: 'No device is waiting with this code. Check it, or start again on the device.',
    /** The title of a page. */
    allowed: 'Your device is connected',
    allowedNext: 'You can close this page and continue on your device.',
    /** The title of a page. */
    denied: 'Your device was not connected',
    deniedNext: 'You can close this page.',
  },
  /** API keys, which a person makes for programs of their own. */
  keys: {
    title: 'API keys',
    none: 'No API keys yet.',
    /** `{name}` is that of an API. */
    make: 'New key for {name}',
    /** The label of a field. */
    name: 'Name',
    /** Before check boxes. */
    may: 'It can:',
    /** The whole page, if no check box is checked. */
    choose: 'Choose what the key can do.',
    /** The label of a field that takes a number. */
    days: 'Days until it expires',
    makeIt: 'Create key',
    /** The title of the page that shows it. */
    made: 'Your new API key',
    once: 'Copy it now: it is not shown again. Keep it as secret as a password.',
    goOn: 'I have saved it',
    until: 'Expires: {time}',
    unused: 'Never used',
    end: 'Revoke key',
    /** Read out by screen readers. `{name}` is what the person calls the key. */
    endOf: 'Revoke key: {name}',
    endWarning: 'Programs that use this key stop working.',
  },
  account: {
    /** The apps that may use the account. */
    apps: 'Apps',
    noApps: 'No connected apps yet.',
    endAccess: 'Remove access',
    endAccessWarning: 'This app can no longer use your account, on any device.',
  },
  errorPages: {
    tooManyKeys: 'You have too many API keys. Revoke one first.',
    app: 'This link is not valid, or the app is not known here. Start again in the app.',
  },
})
