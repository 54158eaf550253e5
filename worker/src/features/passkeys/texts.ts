/** Texts of passkeys. */
export const texts = () => ({
  signIn: {
    newHere: 'new here?',
    passkeysOnly:
      'You sign in here with a passkey. You need JavaScript and a browser that supports passkeys.',
  },
  passkeys: {
    signIn: 'Sign in with a passkey',
    add: 'Add a passkey',
    name: 'Your name (optional)',
    signUp: 'Create an account with a passkey',
    noneCreated: 'No passkey was created. You can try again at any time.',
    noneUsed: 'No passkey was used. You can try again at any time.',
    isThere: 'This device already has a passkey for your account.',
    failed: 'That did not work. Try again in a moment, or reload this page.',
  },
  errors: {
    unknownPasskey: 'This passkey no longer works here. Use another one, or sign in another way.',
  },
})
