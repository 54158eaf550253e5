/** Texts of passwords that people set here. Short: they come beside the code, in every language. */
export const texts = () => ({
  signIn: {
    /** The same, beside a form with a password. */
    signUpButPassword: 'New here? Signing in creates your account, except with a password.',
  },
  ways: {
    submit: 'Sign in',
  },
  /** The pages about a password. */
  password: {
    /** A link, and the title of the page that asks for an address. */
    link: 'Create an account, or reset your password',
    askHow: 'We send a link to your email address. It opens the page where you choose a password.',
    /** The same link, for a signed-in person who has a password. */
    forgot: 'Forgot your password?',
    none: 'You have no password yet.',
    /** The label of a field. */
    current: 'Current password',
    /** The label of a field. */
    new: 'New password',
    /** `{count}` is a number from 8 to 64. */
    rule: 'Minimum number of characters: {count}. Several words in a row are a good choice.',
    others: 'Your other devices will be signed out.',
    save: 'Save password',
    /** A link to the page that the person wanted. */
    notNow: 'Not now',
    remove: 'Remove password',
    removeWarning: 'You will then sign in by email, or in another way that you have set up.',
    /** The title of the page that offers a passkey after a sign-in with a password. */
    offerTitle: 'Sign in faster next time',
    offerHow:
      'A passkey on this device replaces your password, and protects you from fake sign-in pages.',
  },
  errors: {
    passwordInvalid: 'Type a password.',
    passwordShort: 'This password is too short.',
    passwordLong: 'This password is too long. It can have 256 characters.',
    passwordCommon: 'This password is too easy to guess. Choose another one.',
    passwordContext:
      'This password is mostly the name of this site or your own address. Choose another one.',
    passwordBreached: 'This password is known from a data leak. Choose another one.',
    wrongPassword: 'The current password is wrong.',
    noAddress: 'A password needs a verified email address. Add one to your account first.',
  },
  /** Mails that announce a change. */
  notices: {
    passwordSetTitle: 'A password was set for your account',
    passwordChangedTitle: 'The password of your account was changed',
    passwordChanged: 'All other devices were signed out.',
    passwordRemovedTitle: 'The password of your account was removed',
    wrongPasswordsTitle: 'Wrong passwords were tried for your account',
    wrongPasswords:
      'Ten wrong passwords were typed for your account in one day. Nobody was signed in by them.',
    wrongPasswordsHelp:
      'If that was not you, there is nothing that you must do. Sign-in with a link in an email still works.',
  },
})
