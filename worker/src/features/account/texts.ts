/** Texts of the page of an account. */
export const texts = () => ({
  account: {
    title: 'Your account',
    /** Read out by screen readers, before the links to its pages. */
    sections: 'Pages of your account',
    overview: 'Overview',
    devices: 'Devices',
    passkeys: 'Passkeys',
    security: 'Security',
    sessions: 'Where you are signed in',
    thisDevice: 'This device',
    /** Without script a date stands for `{time}`; with it “3 hours ago”, as `Intl.RelativeTimeFormat` has it. */
    begun: 'Signed in {time}',
    added: 'Added {time}',
    lastUsed: 'Last used {time}',
    utc: 'Times are in UTC.',
    signOut: 'Sign out',
    /** Read out by screen readers. `{session}` is a device, a place and a time. */
    signOutOf: 'Sign out: {session}',
    signOutOthers: 'Sign out everywhere else',
    signOutAllWarning:
      'All your sessions end, also the one on this device. Afterwards you sign in again wherever you want to.',
    signOutAll: 'Sign out everywhere',
    ways: 'Ways to sign in',
    usedNow: 'Used now',
    remove: 'Remove',
    /** Read out by screen readers. */
    confirm: 'Confirm',
    confirmWay: 'Confirm: {way}',
    waits: 'Added by a sign-in of one step: it counts fully once you confirm it.',
    waitsUntil:
      'Added by a sign-in of one step: it counts fully from {time}, or once you confirm it.',
    removeWay: 'Remove: {way}',
    onlyWay: 'This is your only way to sign in. To remove it, add another one first.',
    onlyPasskey: 'A passkey is your only way to sign in.',
    onlyPasskeyAdvice:
      'Add another one: when the passkey is lost, nobody can let you in. Recovery codes do not take its place.',
    noPasskeys:
      'You have no passkey yet. It signs you in by your fingerprint, your face or a PIN, and there is no password that could be stolen.',
    synced: 'Synced',
    onOneDevice: 'On one device',
    /** Opens a field. */
    renameOpen: 'Rename…',
    rename: 'Rename',
    passkeyName: 'Name of this passkey',
    delete: 'Delete your account',
    deleteOpen: 'Delete my account…',
    deleteSubmit: 'Delete my account',
    deleteWarning:
      'Your sessions, your ways to sign in and the connections to providers are deleted for good.',
    /** Before a way to sign in is removed. */
    removeWarning: 'Nobody can sign in to your account with it any more. Sessions go on.',
    /** Opens the buttons of providers of which the person has an account. */
    addSame: 'Another account of a provider you have…',
  },
})
