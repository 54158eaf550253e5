/**
 * Every text that a person reads: on pages, in mails, for errors. A name in braces is a parameter; `{ one, other }` are
 * the forms of a number, by the categories of `Intl.PluralRules`. No text is half a sentence, since languages put
 * their words in other places; a parameter may be an address, a name or a time, in bold or with a line break before it.
 * Texts that a feature alone shows are in its folder, in sections of their own or beside the texts here.
 *
 * Apps name these keys in `theme.copy`. Sections are pages, or what appears on several.
 */
export const texts = () => ({
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
    stale: 'You signed in a while ago. To continue, sign in again.',
    weak: 'This needs a stronger sign-in, with a passkey or a second step. To continue, sign in again.',
    account: 'Your account',
    /** To the page that somebody wanted, as who is signed in already. */
    continueAs: 'Continue as {name}',
    /** The same, where nothing is known to call them by. */
    goOn: 'Continue',
    useAnother: 'Use another account',
    or: 'or',
    nothingConfigured: 'No way to sign in is configured yet.',
    /** `{id}` and `{secret}` are names of variables. */
    configure:
      'If you run this service, its log names what a configured provider lacks. If no provider is configured, set the id and secret of one, such as {id} and {secret}.',
    /** Below the title, where every way but one with a password makes accounts. Left out where it is empty. */
    signUp: 'New here? Signing in creates your account.',
    /** Below the ways to sign in, if the site links its terms. `{terms}` is that link. */
    agree: 'By continuing, you agree to the {terms}.',
    /** The link in that sentence. */
    agreeTerms: 'terms',
  },
  /** Buttons and fields of the ways to sign in. */
  ways: {
    /** `{name}` is a provider's. */
    continueWith: 'Continue with {name}',
    /** Where two forms with passwords are on one page, and on buttons of providers whose rules want these words. */
    submitWith: 'Sign in with {name}',
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
    /** Copies what a page shows once, such as recovery codes. */
    copy: 'Copy',
    copied: 'Copied',
  },
  /** What went wrong, on the page where a person can try again. */
  errors: {
    /** The same for an unknown user and a wrong password (OWASP ASVS 6.3.8: no user enumeration). */
    credentials: 'Sign-in failed. Check the details you provided.',
    notLinked:
      'This account or address is already in use here, perhaps by you, or it was removed from an account. Nothing has changed. Sign in the way you did before. If it is in use by another account of yours, sign in to that one and remove it there, or delete that account. Then you can add it here.',
    callback: 'The provider could not sign you in. Please try again.',
    cancelled: 'You canceled the sign-in. You can try again at any time.',
    denied: 'You do not have permission to sign in.',
    /** To whom the operator has blocked, after they have proved who they are. */
    blocked: 'This account is blocked. If you think that is a mistake, ask for help.',
    link: 'This link has expired or was already used. Please ask for a new one.',
    form: 'This form was open too long or came from another site. Please try again.',
    check: 'This sign-in was started elsewhere or too long ago. Please start again.',
    other: 'Sign-in did not work. Please try again.',
    tooMany: 'Too many attempts. Please wait a while, then try again.',
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
    unavailable: 'A service that sign-in needs is not responding. Please try again in a moment.',
    otherTitle: 'Something went wrong',
    other: 'Signing in did not work this time. Please start again.',
    toAccount: 'Go to your account',
    toSignIn: 'Go to sign-in',
    /** `{reference}` is short, such as KQWT-MXDB. */
    reference: 'If you ask for help, quote {reference}',
    missingTitle: 'Page not found',
    missing: 'The address may be wrong, or the page may have moved.',
    formTitle: 'This page cannot be opened directly',
    form: 'It only receives a form. Go back to the page with the form and start there.',
  },
  /** What providers are called whose names nobody gave. */
  names: {
    email: 'Email',
    passkey: 'Passkey',
    credentials: 'Password',
    username: 'User name',
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
})
