// What Google Fonts answers for the fonts of `create-next-app`, for Next's own setting
// `NEXT_FONT_GOOGLE_MOCKED_RESPONSES`: a machine that reaches registries alone builds the app too.
const style = (family) => `@font-face { font-family: '${family}'; src: local('${family}'); }`

module.exports = {
  'https://fonts.googleapis.com/css2?family=Geist:wght@100..900&display=swap': style('Geist'),
  'https://fonts.googleapis.com/css2?family=Geist+Mono:wght@100..900&display=swap':
    style('Geist Mono'),
}
