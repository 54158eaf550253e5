/** Texts of sign-in by name and password. */
export const texts = () => ({
  signIn: {
    /** The same, beside a form with a password. */
    signUpButPassword: 'New here? Signing in creates your account, except with a password.',
  },
  ways: {
    submit: 'Sign in',
  },
})
