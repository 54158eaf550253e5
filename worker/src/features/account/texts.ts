/** Texts of the page of an account. */
export const texts = () => ({
  account: {
    title: 'Your account',
    /** Read out by screen readers, before the links to its pages. */
    sections: 'Pages of your account',
    overview: 'Overview',
    devices: 'Devices',
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
      'This ends all your sessions, including the one on this device. You can sign in again at any time.',
    signOutAll: 'Sign out everywhere',
    ways: 'Ways to sign in',
    usedNow: 'Used now',
    remove: 'Remove',
    /** Read out by screen readers. */
    confirm: 'Confirm',
    confirmWay: 'Confirm: {way}',
    waits: 'Added after a one-step sign-in. It becomes fully active when you confirm it.',
    waitsUntil:
      'Added after a one-step sign-in. It becomes fully active {time}, or when you confirm it.',
    removeWay: 'Remove: {way}',
    onlyWay: 'This is your only way to sign in. To remove it, add another one first.',
    /** Opens a field. */
    renameOpen: 'Rename…',
    rename: 'Rename',
    delete: 'Delete your account',
    deleteOpen: 'Delete my account…',
    deleteSubmit: 'Delete my account',
    deleteWarning:
      'This permanently deletes your sessions, your ways to sign in and your connections to providers.',
    /** Before a way to sign in is removed. */
    removeWarning:
      'It can no longer be used to sign in to your account. Your sessions stay signed in.',
    /** Opens the buttons of providers of which the person has an account. */
    addSame: 'Add another account from the same provider…',
    /** Above the list of ways that can be added. On the summary of the account it leads there. */
    addWay: 'Add a way to sign in',
  },
})
