import { Header } from '../header'

/** A static page: the build renders it, and the browser asks for the session. */
export default function About() {
  return (
    <>
      <Header />
      <main>
        <h1>About</h1>
        <p>This page is the same for everybody.</p>
      </main>
    </>
  )
}
