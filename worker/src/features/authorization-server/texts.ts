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
    offline: 'Keep access until you end it',
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
  account: {
    /** Those that may use the account. */
    apps: 'Apps',
    noApps: 'No app can use your account.',
    endAccess: 'End access',
    endAccessWarning: 'This app can no longer use your account, on any device.',
  },
  errorPages: {
    app: 'This link is not valid, or the app is not known here. Start again in the app.',
  },
})
