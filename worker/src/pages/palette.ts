/**
 * The colours of pages and mails. Every pair of text and ground is at least 4.5:1, every border of a
 * field at least 3:1. Those that mails use have six digits: mail programs know no fewer.
 */
export const light = {
  page: '#f3f4f7',
  card: '#ffffff',
  ink: '#1a1c22',
  dim: '#5a606c',
  line: '#d5d8df',
  edge: '#80868f',
  soft: '#f3f4f7',
  bad: '#9f1f17',
  'bad-bg': '#fdeeec',
  shade: '#1a1c2214',
  fill: '#3047b8',
  text: '#ffffff',
  hover: '#26399a',
}

export type Palette = Readonly<typeof light>

export const dark: Palette = {
  page: '#0f1115',
  card: '#181b21',
  ink: '#eceef3',
  dim: '#a5abb8',
  line: '#414754',
  edge: '#7b828f',
  soft: '#22262e',
  bad: '#ffb9b0',
  'bad-bg': '#3b1d1c',
  shade: '#0000',
  fill: '#a9b7ff',
  text: '#10142b',
  hover: '#c3cdff',
}
