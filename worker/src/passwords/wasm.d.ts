declare module '@phi-ag/argon2/argon2.wasm' {
  const compiled: WebAssembly.Module
  export default compiled
}
