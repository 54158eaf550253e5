/** Texts of passkeys. */
export const texts = () => ({
  signIn: {
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
  account: {
    passkeys: 'Passkeys',
    onlyPasskey: 'A passkey is your only way to sign in.',
    onlyPasskeyAdvice:
      'Add another way to sign in. If you lose this passkey, you lose access to your account. Recovery codes cannot replace it.',
    noPasskeys:
      'You have no passkeys yet. A passkey signs you in with your fingerprint, your face or a PIN. There is no password to steal.',
    synced: 'Synced',
    onOneDevice: 'On one device',
    passkeyName: 'Name of this passkey',
  },
  errors: {
    unknownPasskey: 'This passkey no longer works here. Use another one, or sign in another way.',
  },
})
