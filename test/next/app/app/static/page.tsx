export const dynamic = 'force-static'

export default function Static() {
  return <h1>The same for everybody</h1>
}
