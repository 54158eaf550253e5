export * from '@latchkey/worker/providers/cognito'
export { default } from '@latchkey/worker/providers/cognito'
