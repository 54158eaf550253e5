export * from '@latchkey/worker/providers/microsoft-entra-id'
export { default } from '@latchkey/worker/providers/microsoft-entra-id'
