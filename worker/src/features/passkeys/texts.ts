/** Texts of passkeys. */
export const texts = () => ({
  signIn: {
    newHere: 'new here?',
    passkeysOnly:
      'Here you sign in with a passkey. That takes JavaScript, and a browser that knows passkeys.',
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
  errors: {
    unknownPasskey:
      'This passkey is not known here any more. Use another one, or sign in in another way.',
  },
})
