/** Texts of companies. Short: they come beside the code, in every language. */
export const texts = () => ({
  companies: {
    /** A link of the sign-in page. */
    otherWays: 'Other ways to sign in',
    unknown: 'No company signs in here with this address. Check its spelling.',
    /** A sentence of the account page. `{name}` is a company. */
    signedInBy: 'You have signed in with {name}.',
    /** The same, if the person may sign in by no other way. */
    manages: '{name} manages how you sign in.',
    /** The title of the page after the first sign-in of a company's person. */
    joinTitle: 'Do you have an account here already?',
    joinHow:
      'This is your first sign-in here with {name}. To keep an account that you already have, sign in to it once the way you did before.',
    /** A button. */
    joinNew: 'No, this is my first time here',
    joinUnknown:
      'That sign-in belongs to no account here. Try another one, or continue as a new user.',
  },
  errors: {
    companyOnly: 'Your company manages how you sign in. Type your address to continue there.',
    companyDomain:
      'Your company’s account names no address that counts here. Ask the people who manage it.',
    companyUnavailable: 'Your company’s sign-in does not answer. Try again in a few minutes.',
  },
})
