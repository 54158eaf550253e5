import { type Theme, useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineComponent, h } from 'vue'
import './style.css'

/** Below every page: the file that it is, to be changed there. */
const EditThisPage = defineComponent(() => {
  const { page, theme } = useData()
  return () => {
    const { filePath } = page.value
    const { repository } = theme.value
    const path = h('code', filePath)
    const href = `${repository}/edit/main/${filePath}`
    return h('p', { class: 'edit-this-page' }, [
      'Edit this page: ',
      repository ? h('a', { href }, path) : path,
    ])
  }
})

/** The home page has no foot of its own. */
const EditHomePage = defineComponent(() => {
  const { frontmatter } = useData()
  return () =>
    frontmatter.value.layout === 'home' ? h('div', { class: 'home-foot' }, h(EditThisPage)) : null
})

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'doc-footer-before': () => h(EditThisPage),
      'layout-bottom': () => h(EditHomePage),
    }),
}

export default theme
