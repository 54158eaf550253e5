/** Texts of the check that a person sends a form. */
export const texts = () => ({
  ways: {
    needsScript: 'This form needs JavaScript to check that you are human.',
  },
  errors: {
    human:
      'This form checks that you are human, which needs JavaScript. Wait until the check is done, then send the form again.',
  },
})
