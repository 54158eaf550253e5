/** Texts of sign-in by name and password. */
export const texts = () => ({
  signIn: {
    /** The same, where there is a form with a password. */
    signUpButPassword: 'New here? Signing in creates your account, in every way but by password.',
  },
  ways: {
    submit: 'Sign in',
  },
})
