/** Texts of the mark on the way that was used last. */
export const texts = () => ({
  signIn: {
    /** On the way to sign in that this browser has used last. */
    lastUsed: 'Last used',
  },
})
