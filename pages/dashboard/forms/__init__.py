"""What people type. A form only reads and checks shapes; plans, prices and limits are judged by the services."""
